import { loadAppModule } from '../../data/app/app-version.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { queueKeys } from '../../ui/keyboard/key-queue.ts'

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
  loadComposer()
    .then(async ({ openComposer }) => {
      if (isCanceled || !(await openComposer(project_id, shared))) dropKeys()
    })
    .catch((error) => {
      dropKeys()
      showErrorToast(error)
    })
}
