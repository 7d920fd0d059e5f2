import { isScope, SCOPE_PRESETS, SCOPES, type Scope } from '#wire/scopes.ts'

export const SCOPE_ACTIONS = ['read', 'write', 'delete'] as const
type ScopeAction = (typeof SCOPE_ACTIONS)[number]

/** The resources in the order of the scopes, each with the actions that it supports. */
export const SCOPE_RESOURCES: readonly { name: string; actions: readonly ScopeAction[] }[] = [
  ...new Set(SCOPES.map((scope) => scope.split(':')[0] ?? '')),
].map((name) => ({
  name,
  actions: SCOPE_ACTIONS.filter((action) => isScope(`${name}:${action}`)),
}))

/** Adds or removes a scope; the result keeps the order of `SCOPES`. */
export const toggleScope = (chosen: readonly Scope[], scope: Scope): Scope[] =>
  SCOPES.filter((one) => (one === scope ? !chosen.includes(one) : chosen.includes(one)))

/** The preset that has exactly these scopes; undefined if there is none. */
export function findScopePreset(scopes: readonly string[]): 'full' | 'read_only' | undefined {
  const equals = (all: readonly Scope[]) =>
    all.length === scopes.length && all.every((one) => scopes.includes(one))
  if (equals(SCOPE_PRESETS.full)) return 'full'
  return equals(SCOPE_PRESETS.read_only) ? 'read_only' : undefined
}
