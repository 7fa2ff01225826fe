// COPY … FROM STDIN and TO STDOUT over the driver's own connection, which speaks the protocol but offers no function for it.
import type { Readable } from 'node:stream';
import type pg from 'pg';

/** What the driver calls while a query of its own making is under way (PostgreSQL protocol 55.2.6). */
type Wire = {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  stream: { writableNeedDrain: boolean; once(event: 'drain', done: () => void): void };
};

/** Run a COPY whose data is `source`. Rejects with the server's error. */
export function copyIn(client: pg.Client, text: string, source: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    const feed = async (wire: Wire) => {
      for await (const chunk of source) {
        wire.sendCopyFromChunk(chunk as Buffer);
        if (wire.stream.writableNeedDrain) await new Promise<void>((drained) => wire.stream.once('drain', drained));
      }
      wire.endCopyFrom();
    };
    let fault: Error | undefined;
    const copy = {
      submit: (wire: Wire) => wire.query(text),
      handleCopyInResponse: (wire: Wire) => void feed(wire).catch(reject),
      handleCommandComplete: () => undefined,
      handleError: (error: Error) => void (fault = error),
      handleReadyForQuery: () => (fault ? reject(fault) : resolve()),
    };
    client.query(copy as never);
  });
}

/** Run a COPY to the caller, and answer its data. Rejects with the server's error. */
export function copyOut(client: pg.Client, text: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let fault: Error | undefined;
    const copy = {
      submit: (wire: Wire) => wire.query(text),
      handleCopyData: ({ chunk }: { chunk: Buffer }) => void chunks.push(Buffer.from(chunk)),
      handleCommandComplete: () => undefined,
      handleError: (error: Error) => void (fault = error),
      handleReadyForQuery: () => (fault ? reject(fault) : resolve(Buffer.concat(chunks))),
    };
    client.query(copy as never);
  });
}
