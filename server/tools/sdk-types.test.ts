import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { sdkTypes } from './sdk-types.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const typeOf = (schema: unknown) =>
  sdkTypes({ components: { schemas: { X: schema } } })
    .split('export type X = ')[1]
    ?.trimEnd();

test('each form of JSON Schema has its type', () => {
  const forms: [unknown, string][] = [
    [{ type: 'string', format: 'email' }, 'string'],
    [{ type: 'integer', minimum: 1 }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{}, 'unknown'],
    [true, 'unknown'],
    [{ not: {} }, 'never'],
    [{ type: 'null' }, 'null'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ const: 'list' }, "'list'"],
    [{ enum: ['a', "it's", 3, null] }, "'a' | 'it\\'s' | 3 | null"],
    [{ type: 'string', enum: ['a', 'b'] }, "'a' | 'b'"],
    [{ anyOf: [ref('Mode'), { type: 'null' }] }, 'Mode | null'],
    [{ oneOf: [{ type: 'string' }, { type: 'string', format: 'x' }] }, 'string'],
    [{ allOf: [ref('A'), { anyOf: [ref('B'), ref('C')] }] }, 'A & (B | C)'],
    [{ type: 'object', oneOf: [ref('A'), ref('B')] }, 'A | B'],
    [{ ...ref('A'), description: 'beside' }, 'A'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { anyOf: [ref('A'), { type: 'null' }] } }, '(A | null)[]'],
    [{ type: 'array', items: { type: 'array', items: ref('A') } }, 'A[][]'],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>'],
    [{ type: 'object', properties: {}, additionalProperties: false }, 'Record<string, never>'],
    [{ type: ['object', 'null'], properties: { a: { type: 'string' } } }, '{\n  a?: string;\n} | null'],
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'array', items: { type: 'object', properties: { b: {} } } }, 'c-d': { const: 1 } },
      },
      "{\n  a: {\n    b?: unknown;\n  }[];\n  'c-d'?: 1;\n}",
    ],
    [{ type: 'object', properties: { a: {} }, additionalProperties: {} }, '{\n  a?: unknown;\n} & Record<string, unknown>'],
  ];
  for (const [schema, expected] of forms) {
    assert.equal(typeOf(schema), `${expected};`);
    assert.doesNotThrow(() => stripTypeScriptTypes(sdkTypes({ components: { schemas: { X: schema } } })));
  }
});

const DOCUMENT = {
  components: {
    schemas: {
      Contact: {
        type: 'object',
        description: 'A person.',
        properties: { id: { type: 'string', description: 'con_\n*/ and more' } },
        required: ['id'],
      },
      Audience: { type: 'object', properties: {} },
    },
    parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
    responses: { Made: json(ref('Contact')) },
  },
  paths: {
    '/v1/contacts': {
      parameters: [{ $ref: '#/components/parameters/Limit' }],
      post: {
        operationId: 'createContact',
        requestBody: json({ type: 'object', properties: { email: {} }, required: ['email'] }),
        responses: { 201: { $ref: '#/components/responses/Made' }, 200: json(ref('Contact')), 422: json({}) },
      },
      get: {
        operationId: 'listContacts',
        parameters: [
          { name: 'q', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'id', in: 'path', schema: {} },
        ],
        responses: { 200: json({ type: 'array', items: ref('Contact') }) },
      },
    },
    '/v1/files': {
      post: {
        operationId: 'upload',
        requestBody: { content: { 'text/csv': { schema: { type: 'string' } } } },
        responses: { 202: { description: 'Nothing.' } },
      },
    },
    '/health': { get: { responses: { 200: json({}) } } },
  },
};

const EXPECTED = `// Generated from the OpenAPI document by server/tools/sdk-types.ts. Do not edit.

export type Audience = Record<string, unknown>;

/** A person. */
export type Contact = {
  /**
   * con_
   * *\\/ and more
   */
  id: string;
};

export type CreateContactBody = {
  email: unknown;
};

export type CreateContactQuery = {
  limit?: number;
};

export type CreateContactResult = Contact;

export type ListContactsQuery = {
  limit?: number;
  q: string;
};

export type ListContactsResult = Contact[];

export type UploadBody = string;
`;

test('a document gives its schemas and the body, query and result of each operation', () => {
  assert.equal(sdkTypes(DOCUMENT), EXPECTED);
});

test('the order of schemas and paths does not show', () => {
  const turned = (value: object) => Object.fromEntries(Object.entries(value).toReversed());
  const other = { components: { ...DOCUMENT.components, schemas: turned(DOCUMENT.components.schemas) }, paths: turned(DOCUMENT.paths) };
  assert.equal(sdkTypes(other), EXPECTED);
});

test('a long union goes over several lines', () => {
  const words = Array.from({ length: 20 }, (_, index) => `word_number_${index}`);
  assert.equal(
    sdkTypes({ components: { schemas: { X: { enum: words } } } }).split('export type X =')[1],
    `${words.map((word) => `\n  | '${word}'`).join('')};\n`,
  );
});

test('two types of one name are refused', () => {
  const components = { schemas: { CreateContactBody: {} } };
  assert.throws(() => sdkTypes({ ...DOCUMENT, components: { ...DOCUMENT.components, ...components } }), /CreateContactBody/);
  assert.throws(() => sdkTypes({ components: { schemas: { 'a-b': {}, 'a.b': {} } } }), /AB/);
});
