import { useBoot } from '../../../data/session/boot.ts'
import { deleteTaskWithUndo } from '../../../data/tasks/change-task.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import type { MenuSection } from '../../../ui/overlays/menu-button.tsx'
import { setParent } from '../links/update-task-links.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { copyTaskId, copyTaskLink, copyTaskMarkdown } from './copy-task.ts'
import { pressControlSoon } from './press-control.ts'

const loadTemplateActions = () => import('../../my-work/screens-bundle.ts')

/** Returns the sections of the menu with further actions for the open task. */
export function useTaskMenu(): MenuSection[] {
  const boot = useBoot()
  const { task, showTask, leave } = useOpenTask()
  const { write, remove, saveTemplate } = useBlockReasons()
  const moveToTopLevel = task.parent_id
    ? [
        {
          id: 'top',
          label: taskDetailMessages.toTop,
          reason: write,
          run: () => void setParent(task, null),
        },
      ]
    : []
  return [
    {
      items: [
        {
          id: 'link',
          label: taskDetailMessages.copyLink(task.short_id),
          icon: 'link',
          shortcut: 'y',
          run: () => void copyTaskLink(task),
        },
        {
          id: 'id',
          label: taskDetailMessages.copyId,
          icon: 'copy',
          shortcut: 'shift+y',
          run: () => void copyTaskId(task),
        },
        {
          id: 'markdown',
          label: taskDetailMessages.copyMarkdown,
          icon: 'code',
          run: () => void copyTaskMarkdown(task, boot),
        },
      ],
    },
    {
      items: [
        {
          id: 'duplicate',
          label: taskDetailMessages.duplicate,
          icon: 'slips',
          reason: write,
          run: () =>
            void loadTemplateActions().then((module) => module.duplicateTask(task, showTask)),
        },
        {
          id: 'template',
          label: taskDetailMessages.saveTemplate,
          icon: 'slips',
          reason: write ?? saveTemplate,
          run: () =>
            void loadTemplateActions().then((module) => module.openSaveTemplateDialog(task)),
        },
        {
          id: 'move',
          label: taskDetailMessages.move,
          icon: 'project',
          reason: write,
          run: () => pressControlSoon('project'),
        },
        {
          id: 'under',
          label: taskDetailMessages.makeSubtask,
          icon: 'sub',
          reason: write,
          run: () => pressControlSoon('parent'),
        },
        ...moveToTopLevel,
      ],
    },
    {
      items: [
        {
          id: 'delete',
          label: taskDetailMessages.remove,
          icon: 'trash',
          danger: true,
          shortcut: '#',
          reason: remove,
          run: () => {
            deleteTaskWithUndo(task.id, { label: taskDetailMessages.removed(task.short_id) })
            leave()
          },
        },
      ],
    },
  ]
}
