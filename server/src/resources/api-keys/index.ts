// The door. API keys: the secrets by which callers prove who they are.
// Asked by the app for every request; a workspace is born with two.
export { authenticate } from './authenticate.ts';
export { createApiKey } from './create-api-key.ts';
