import { useBoot } from '../../../data/session/boot.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { type MenuSection, runAfterMenu } from '../../../ui/overlays/overlay-stack.ts'
import { setParent } from '../links/update-task-links.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { copyTaskId, copyTaskLink, copyTaskMarkdown } from './copy-task.ts'
import { pressControlSoon } from './press-control.ts'
import { useDeleteOpenTask } from './use-delete-open-task.ts'

type TemplateActions = typeof import('../../screens-bundle.ts')

const withTemplateActions = (run: (actions: TemplateActions) => void): void =>
  void import('../../screens-bundle.ts').then(run).catch(showErrorToast)

/** Returns the sections of the menu with further actions for the open task. */
export function useTaskMenu(siblings: readonly string[]): MenuSection[] {
  const boot = useBoot('projects', 'members', 'former')
  const { task, showTask } = useOpenTask()
  const deleteTask = useDeleteOpenTask(siblings)
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
          label: projectViewMessages.copyId,
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
          run: () => withTemplateActions((actions) => actions.duplicateTask(task, showTask)),
        },
        {
          id: 'template',
          label: taskDetailMessages.saveTemplate,
          icon: 'slips',
          reason: write ?? saveTemplate,
          run: () => withTemplateActions((actions) => actions.openSaveTemplateDialog(task)),
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
          run: () => runAfterMenu(deleteTask),
        },
      ],
    },
  ]
}
