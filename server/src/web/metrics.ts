// What Prometheus reads: how often each route was called, how it answered and how long that took. No tenant, no id, no address is ever a label.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { Refusal } from '#platform/refusal.ts';
import { bearerOf } from './principal.ts';

/** Seconds; finer where an answer is expected to lie. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Measure every request of `app`, and show what `register` holds at /metrics: to everybody, or with `token` to whoever bears it. */
export function mountMetrics(app: FastifyInstance, register: Registry, token: string | undefined): void {
  const seconds = new Histogram({
    name: 'postrider_http_request_duration_seconds',
    help: 'Requests by route and status, and how long they took.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [register],
  });
  app.addHook('onResponse', async (req, reply) => {
    // A path that no route has comes from outside: as a label it would grow without end.
    seconds.observe({ method: methodOf(req), route: req.routeOptions.url ?? 'none', status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  app.get('/metrics', async (req, reply) => {
    if (token !== undefined && !same(bearerOf(req.headers.authorization) ?? '', token)) {
      throw new Refusal('invalid_api_key', 'Metrics need the METRICS_TOKEN: Authorization: Bearer <token>.');
    }
    return reply.type(register.contentType).send(await register.metrics());
  });
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const methodOf = ({ method }: FastifyRequest) => (METHODS.has(method) ? method : 'other');

const digest = (text: string) => createHash('sha256').update(text).digest();
const same = (given: string, wanted: string) => timingSafeEqual(digest(given), digest(wanted));
