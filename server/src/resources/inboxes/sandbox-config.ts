import { Refusal } from '#platform/refusal.ts';

/** How a sandbox inbox plays the world: chances and delays (seconds) of what recipients do. */
export type SandboxConfig = {
  open_probability: number;
  click_probability: number;
  reply_probability: number;
  bounce_probability: number;
  open_delay_seconds_min: number;
  open_delay_seconds_max: number;
  click_delay_seconds_min: number;
  click_delay_seconds_max: number;
  reply_delay_seconds_min: number;
  reply_delay_seconds_max: number;
  seed: number | null;
};

export const SANDBOX_DEFAULTS: SandboxConfig = {
  open_probability: 0.5,
  click_probability: 0.1,
  reply_probability: 0.1,
  bounce_probability: 0.02,
  open_delay_seconds_min: 1,
  open_delay_seconds_max: 5,
  click_delay_seconds_min: 2,
  click_delay_seconds_max: 10,
  reply_delay_seconds_min: 5,
  reply_delay_seconds_max: 30,
  seed: null,
};

export type SandboxChanges = { [K in keyof SandboxConfig]?: SandboxConfig[K] | undefined };

/** A whole configuration: what is given over the defaults. */
export const withSandboxDefaults = (given: SandboxChanges): SandboxConfig => ({ ...SANDBOX_DEFAULTS, ...definedOf(given) });

/** Changes over what was; a delay whose minimum exceeds its maximum is refused by name. */
export function mergedSandboxConfig(before: SandboxConfig, changes: SandboxChanges): SandboxConfig {
  const merged = { ...before, ...definedOf(changes) };
  for (const what of ['open', 'click', 'reply'] as const) {
    if (merged[`${what}_delay_seconds_min`] > merged[`${what}_delay_seconds_max`]) {
      throw new Refusal('validation_failed', `The least ${what} delay is greater than the greatest.`, {
        param: `sandbox_config.${what}_delay_seconds_min`,
      });
    }
  }
  return merged;
}

const definedOf = (given: SandboxChanges) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<SandboxConfig>;
