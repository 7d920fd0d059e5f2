import { m } from '../../../messages/api-keys.ts'
import { listed } from '../../../messages/plural.ts'
import { presetOf, RESOURCES } from '../keys/chosen.ts'

/** Scopes as words, by kind of record: "Tasks: read and write; Comments: read". */
export function scopeWords(scopes: readonly string[]): string {
  if (presetOf(scopes) === 'full') return m.all
  return RESOURCES.flatMap(({ name, actions }) => {
    const words = actions
      .filter((action) => scopes.includes(`${name}:${action}`))
      .map((action) => m.actions[action].toLowerCase())
    return words.length > 0 ? m.cell(m.resources[name] ?? name, listed(words)) : []
  }).join('; ')
}
