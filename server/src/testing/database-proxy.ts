// Between the service and its database, to take the database away: what a restart, a failover or a pulled cable looks like from here.
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import pg from 'pg';

export type DatabaseProxy = {
  /** The database's URL by way of this proxy. */
  url: string;
  /** Reset every connection, and every new one, until `restore`. */
  cut(): void;
  restore(): void;
  /** Connections that came while the database was away. */
  turnedAway(): number;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Listen on a free port of 127.0.0.1 and pass on to the server of `url`, be that behind TCP or a Unix socket. */
export async function databaseProxy(url: string): Promise<DatabaseProxy> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const clients = new Set<Socket>();
  let away = false;
  let turnedAway = 0;

  // Their other halves, which a Unix socket may be, close with them.
  const resetAll = () => clients.forEach((socket) => socket.resetAndDestroy());
  const server = createServer({ noDelay: true }, (client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    if (away) {
      turnedAway++;
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ ...target, noDelay: true });
    // Without an end of its own: what befalls one half is passed on to the other.
    pipeline(client, upstream, () => upstream.destroy());
    pipeline(upstream, client, () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const login = [user, password].flatMap((one) => (one ? [encodeURIComponent(one)] : [])).join(':');
  return {
    url: `postgresql://${login}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`,
    cut: () => {
      away = true;
      resetAll();
    },
    restore: () => void (away = false),
    turnedAway: () => turnedAway,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      resetAll();
      await closed;
    },
  };
}
