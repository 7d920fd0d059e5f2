import type { Interaction } from '#accounts/oauth-consent/contract.ts'

type RequestedScope = Interaction['scopes'][number]

/** The requested scopes of one resource, as sentences. */
export interface ScopeGroup {
  resource: string
  sentences: string[]
}

/**
 * Deletion cannot be undone, and a webhook sends all events of the workspace to a foreign server:
 * the page lists both apart.
 */
const isGrave = (name: string): boolean => name.endsWith(':delete') || name === 'webhooks:write'

/** Groups the scopes by resource, in the order of the request; the dangerous ones apart. */
export const groupScopes = (
  scopes: readonly RequestedScope[],
): { usual: ScopeGroup[]; grave: ScopeGroup[] } => ({
  usual: groupByResource(scopes.filter(({ name }) => !isGrave(name))),
  grave: groupByResource(scopes.filter(({ name }) => isGrave(name))),
})

/** Whether the application could delete anything. */
export const hasDeleteScope = (scopes: readonly RequestedScope[]): boolean =>
  scopes.some(({ name }) => name.endsWith(':delete'))

function groupByResource(scopes: readonly RequestedScope[]): ScopeGroup[] {
  const groups = Map.groupBy(scopes, ({ name }) => name.slice(0, name.indexOf(':')))
  return [...groups].map(([resource, group]) => ({
    resource,
    sentences: group.map(({ description }) => description),
  }))
}
