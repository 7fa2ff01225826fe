// Whose rows a pass takes: test mode of one workspace whose clock was moved, or everybody's but theirs.

/**
 * The condition on a table with `workspace_id` and `mode`, by its alias. `parameter` holds `workspaceId`, or null for the pass over all: it leaves
 * out what a test clock drives, since there another time holds. Two texts, so that the plan of neither has to serve the other.
 */
export const inScope = (alias: string, parameter = 'null', workspaceId: string | null = null): string =>
  workspaceId === null
    ? `(${parameter}::text is null and (${alias}.mode = 'live'
            or not exists (select 1 from test_clocks driven where driven.workspace_id = ${alias}.workspace_id)))`
    : `(${alias}.workspace_id = ${parameter}::text and ${alias}.mode = 'test')`;
