import assert from 'node:assert/strict';
import { PostriderError } from '@postrider/sdk';

/** The call must be refused with this status and code, at this field where one is named. Answers the error. */
export async function refused(call: Promise<unknown>, status: number, code: string, param?: string): Promise<PostriderError> {
  const error = await call.then(
    (answer) => assert.fail(`not refused: ${JSON.stringify(answer)?.slice(0, 300)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PostriderError, String(error));
  assert.deepEqual([error.status, error.code, error.param], [status, code, param], error.message);
  return error;
}
