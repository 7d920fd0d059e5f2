import { isScope, PRESETS, SCOPES, type Scope } from '#wire/scopes.ts'

export const ACTIONS = ['read', 'write', 'delete'] as const
export type Action = (typeof ACTIONS)[number]

/** Resources in the order in which the scopes name them, each with the actions that it knows. */
export const RESOURCES: readonly { name: string; actions: readonly Action[] }[] = [
  ...new Set(SCOPES.map((scope) => scope.split(':')[0] ?? '')),
].map((name) => ({
  name,
  actions: ACTIONS.filter((action) => isScope(`${name}:${action}`)),
}))

/** Takes a scope in or out; the rest stays in the order of the contract. */
export const toggled = (chosen: readonly Scope[], scope: Scope): Scope[] =>
  SCOPES.filter((one) => (one === scope ? !chosen.includes(one) : chosen.includes(one)))

/** Which preset a set of scopes is, if it is one. */
export function presetOf(scopes: readonly string[]): 'full' | 'read_only' | undefined {
  const same = (all: readonly Scope[]) =>
    all.length === scopes.length && all.every((one) => scopes.includes(one))
  if (same(PRESETS.full)) return 'full'
  return same(PRESETS.read_only) ? 'read_only' : undefined
}
