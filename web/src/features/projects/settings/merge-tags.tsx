import type { deleteTag, Tag } from '#resources/tags/contract.ts'
import { changeInSteps, idsOfTasks } from '../../../data/in-steps.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/projects.ts'
import { announce } from '../../../ui/announce.ts'
import { confirm } from '../../../ui/dialog.tsx'

/** Gives all tasks of a tag another one in its place, then deletes it; asks first, for nothing undoes it. */
export async function askMerge(from: Tag, into: Tag): Promise<void> {
  let refused = 0
  const yes = await confirm({
    title: m.merge(from.name, into.name),
    text: m.mergeWhy,
    action: m.mergeDo(from.task_count),
    run: async () => {
      refused = await merge(from, into)
    },
  })
  if (!yes) return
  if (refused > 0) toast({ text: m.notMoved(refused), tone: 'trouble' })
  else toast({ text: m.merged(from.name, into.name) })
}

/** Gives how many tasks kept the tag: it stays then, because they would lose it. */
async function merge(from: Tag, into: Tag): Promise<number> {
  const ids = await idsOfTasks({ tag_id: [from.id] })
  const patch = { add_tag_ids: [into.id], remove_tag_ids: [from.id] }
  const refused = await changeInSteps(ids, patch, (through) =>
    announce(m.merging(through, ids.length)),
  )
  if (refused > 0) return refused
  await call<typeof deleteTag>('DELETE /api/v1/tags/:id', { params: { id: from.id } })
  await queries.invalidateQueries({ queryKey: ['tags', from.project_id] })
  return 0
}
