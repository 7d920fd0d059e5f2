import { getPatchedFields, isSameValue } from '../../../web/src/data/tasks/task-patch.ts'
import type { SimulatedPage } from './simulated-page.ts'
import type { SimulatedServer } from './simulated-server.ts'

/** What a page shows otherwise than the server has it, apart from what its log shows as unsaved. */
export function findPageDifferences(page: SimulatedPage, server: SimulatedServer): string[] {
  const ids = new Set([...server.tasks.keys(), ...page.tasks.keys()])
  return [
    ...[...ids].flatMap((id) => findTaskDifferences(id, page, server)),
    ...findCommentDifferences(page, server),
    ...[...server.notes.values()]
      .filter((note) => !isSameValue(page.notes.all.get(note.id), note))
      .map(({ id }) => `${id} is not shown as it is`),
  ]
}

function findTaskDifferences(id: string, page: SimulatedPage, server: SimulatedServer): string[] {
  const expected = server.tasks.get(id)
  const shown = page.view(id)
  if (!expected) {
    const isUnsaved = page.log.entries.some(
      ({ payload }) => payload.kind === 'create' && payload.tempId === id,
    )
    return isUnsaved ? [] : [`${id} is shown and does not exist`]
  }
  if (!shown) return [`${id} is not shown`]
  const unsent = new Set(page.unsentChanges(id).flatMap(({ patch }) => getPatchedFields(patch)))
  return Object.entries(expected).flatMap(([name, value]) => {
    const isUnsent = [...unsent].some((one) => one === name)
    const field = Object.entries(shown).find(([one]) => one === name)?.[1]
    return isUnsent || isSameValue(field, value)
      ? []
      : [`${id} is shown with ${name} ${JSON.stringify(field)} for ${JSON.stringify(value)}`]
  })
}

/** An unsaved comment is shown beside them, and an unsaved deletion hides one. */
function findCommentDifferences({ comments }: SimulatedPage, server: SimulatedServer): string[] {
  return [
    ...[...server.comments]
      .filter((text) => !comments.has(text))
      .map((text) => `${text} is not shown`),
    ...[...comments]
      .filter((text) => !server.comments.has(text))
      .map((text) => `${text} is shown and does not exist`),
  ]
}
