import { found } from '#platform/refusal.ts';
import { created, ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import { addSequenceStep, changeSequenceStep, deleteSequenceStep, reorderSequence } from './change-steps.ts';
import { createSequence } from './create-sequence.ts';
import { deleteSequence } from './delete-sequence.ts';
import * as store from './store.ts';
import { updateSequence } from './update-sequence.ts';
import {
  DeletedStep,
  NewSequence,
  NewStep,
  ReorderBody,
  Sequence,
  SequencePatch,
  SequenceQuery,
  SequenceStep,
  StepPatch,
  present,
  presentDeletedStep,
  presentOwnStep,
  presentWhole,
} from './wire.ts';

const params = idParams({ id: 'seq' });
const stepParams = idParams({ id: 'seq', step_id: 'stp' });

export const routes = [
  route(
    'GET /v1/sequences',
    { summary: 'List sequences.', scope: 'read', query: SequenceQuery, reply: { 200: listOf(Sequence) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  route(
    'POST /v1/sequences',
    { summary: 'Create a sequence, with steps or without.', scope: 'write', body: NewSequence, reply: { 201: Sequence } },
    async (ctx, { body }) => created(presentWhole(await createSequence(ctx, body))),
  ),
  route(
    'GET /v1/sequences/{id}',
    { summary: 'Retrieve a sequence with its steps.', scope: 'read', params, reply: { 200: Sequence } },
    async (ctx, { params: { id } }) => {
      const row = found(await store.byId(ctx, id), 'sequence');
      return ok(presentWhole({ row, steps: await store.stepsOf(ctx, id) }));
    },
  ),
  route(
    'PATCH /v1/sequences/{id}',
    { summary: 'Rename or describe a sequence.', scope: 'write', params, body: SequencePatch, reply: { 200: Sequence } },
    async (ctx, { params: { id }, body }) => ok(present(await updateSequence(ctx, id, body))),
  ),
  route(
    'DELETE /v1/sequences/{id}',
    { summary: 'Delete a sequence; campaigns keep their copies.', scope: 'write', params, reply: { 200: Sequence } },
    async (ctx, { params: { id } }) => ok(present(await deleteSequence(ctx, id))),
  ),
  route(
    'POST /v1/sequences/{id}/steps',
    { summary: 'Insert or append a step.', scope: 'write', params, body: NewStep, reply: { 201: SequenceStep } },
    async (ctx, { params: { id }, body }) => created(presentOwnStep(id, await addSequenceStep(ctx, id, body))),
  ),
  route(
    'POST /v1/sequences/{id}/steps/reorder',
    { summary: 'Put the steps into another order.', scope: 'write', params, body: ReorderBody, reply: { 200: Sequence } },
    async (ctx, { params: { id }, body }) => ok(presentWhole(await reorderSequence(ctx, id, body.step_ids))),
  ),
  route(
    'PATCH /v1/sequences/{id}/steps/{step_id}',
    {
      summary: 'Change or move a step; campaigns keep their copies.',
      scope: 'write',
      params: stepParams,
      body: StepPatch,
      reply: { 200: SequenceStep },
    },
    async (ctx, { params: { id, step_id: stepId }, body }) => ok(presentOwnStep(id, await changeSequenceStep(ctx, id, stepId, body))),
  ),
  route(
    'DELETE /v1/sequences/{id}/steps/{step_id}',
    { summary: 'Delete a step; later ones move up.', scope: 'write', params: stepParams, reply: { 200: DeletedStep } },
    async (ctx, { params: { id, step_id: stepId } }) => ok(presentDeletedStep(id, await deleteSequenceStep(ctx, id, stepId))),
  ),
];
