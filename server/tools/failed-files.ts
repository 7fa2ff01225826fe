// A reporter of Node's test runner: the file of each test that failed, a line each.
import type { TestEvent } from 'node:test/reporters';

export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) if (type === 'test:fail' && data.file) yield `${data.file}\n`;
}
