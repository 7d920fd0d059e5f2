import { formatList } from '../../../messages/plural.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { findScopePreset, SCOPE_RESOURCES } from '../api-keys/scope-selection.ts'

/** Describes scopes by resource: "Tasks: read and write; Comments: read". */
export function describeScopes(scopes: readonly string[]): string {
  if (findScopePreset(scopes) === 'full') return apiKeyMessages.all
  return SCOPE_RESOURCES.flatMap(({ name, actions }) => {
    const words = actions
      .filter((action) => scopes.includes(`${name}:${action}`))
      .map((action) => apiKeyMessages.actions[action].toLowerCase())
    return words.length > 0
      ? apiKeyMessages.cell(apiKeyMessages.resources[name] ?? name, formatList(words))
      : []
  }).join('; ')
}
