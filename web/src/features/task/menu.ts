import { useBoot } from '../../data/boot.ts'
import { removeTask } from '../../data/task-writes.ts'
import { m } from '../../messages/task.ts'
import type { MenuSection } from '../../ui/menu.tsx'
import { copyId, copyLink, copyMarkdown } from './copy-task.ts'
import { useOpenTask } from './open-task.ts'
import { pressSoon } from './press.ts'
import { useRights } from './rights.ts'
import { setParent } from './task-links.ts'

const mine = () => import('../mine.ts')

/** What else can be done with the task that is shown. */
export function useMenu(): MenuSection[] {
  const boot = useBoot()
  const { task, go, leave } = useOpenTask()
  const { write, remove, template } = useRights()
  const parent = task.parent_id
    ? [{ id: 'top', label: m.toTop, reason: write, run: () => void setParent(task, null) }]
    : []
  return [
    {
      items: [
        {
          id: 'link',
          label: m.copyLink(task.short_id),
          icon: 'link',
          shortcut: 'y',
          run: () => void copyLink(task),
        },
        {
          id: 'id',
          label: m.copyId,
          icon: 'copy',
          shortcut: 'shift+y',
          run: () => void copyId(task),
        },
        {
          id: 'markdown',
          label: m.copyMarkdown,
          icon: 'code',
          run: () => void copyMarkdown(task, boot),
        },
      ],
    },
    {
      items: [
        {
          id: 'duplicate',
          label: m.duplicate,
          icon: 'slips',
          reason: write,
          run: () => void mine().then((it) => it.duplicate(task, go)),
        },
        {
          id: 'template',
          label: m.saveTemplate,
          icon: 'slips',
          reason: write ?? template,
          run: () => void mine().then((it) => it.openSaveTemplate(task)),
        },
        {
          id: 'move',
          label: m.move,
          icon: 'project',
          reason: write,
          run: () => pressSoon('project'),
        },
        {
          id: 'under',
          label: m.makeSubtask,
          icon: 'sub',
          reason: write,
          run: () => pressSoon('parent'),
        },
        ...parent,
      ],
    },
    {
      items: [
        {
          id: 'delete',
          label: m.remove,
          icon: 'trash',
          danger: true,
          shortcut: '#',
          reason: remove,
          run: () => {
            removeTask(task.id, { label: m.removed(task.short_id) })
            leave()
          },
        },
      ],
    },
  ]
}
