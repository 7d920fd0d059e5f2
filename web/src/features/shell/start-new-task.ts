import { loadAppModule } from '../../data/app/app-version.ts'
import { bootState } from '../../data/session/boot.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { queueKeys } from '../../ui/keyboard/key-queue.ts'

const loadProjectDialog = () => loadAppModule(() => import('../my-work/screens-bundle.ts'))

export const loadComposer = () =>
  loadAppModule(() => import('../project-view/composer/composer.tsx'))

/**
 * Opens the dialog for a new task, in this project or where the screen suggests; `shared` is the query of
 * an address by which another app shares a title, a text or a link. Without an active project, the dialog
 * for a new project comes first.
 */
export function startNewTask(project_id?: string, shared?: string): void {
  let isCanceled = false
  const dropKeys = queueKeys(true, () => {
    isCanceled = true
  })
  const loading = canTakeTask()
    ? loadComposer().then((it) => () => it.openComposer(project_id, shared))
    : loadProjectDialog().then((it) => () => {
        it.openCreateProjectDialog(({ id }) => startNewTask(id, shared))
        return true
      })
  loading.then(
    (open) => {
      if (isCanceled || !open()) dropKeys()
    },
    (error) => {
      dropKeys()
      showErrorToast(error)
    },
  )
}

/** Whether there is an active project, or none that the person could create. */
const canTakeTask = (): boolean => {
  const boot = bootState.get()
  const hasActive = boot?.projects.some(({ status }) => status === 'active')
  return hasActive !== false || boot?.session.user.role === 'guest'
}
