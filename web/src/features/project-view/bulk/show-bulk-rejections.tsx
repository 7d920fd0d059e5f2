import { showToast } from '../../../data/app/toasts.ts'
import type { BulkRejection } from '../../../data/mutations/bulk-change.ts'
import { bulkChangeMessages } from '../../../messages/tasks/bulk-changes.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button } from '../../../ui/form/button.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'

/** Shows how many tasks a bulk change or its undo has left as they are, and on demand why. */
export function showBulkRejections(refused: readonly BulkRejection[], isUndo: boolean): void {
  const isOnlyConflicts = refused.every(({ isConflict }) => isConflict)
  const text =
    isUndo && isOnlyConflicts
      ? bulkChangeMessages.notUndone(refused.length)
      : bulkChangeMessages.refused(refused.length)
  const run = () =>
    openDialog({
      title: text,
      body: (close) => (
        <>
          <ul className="refusals">
            {refused.map(({ short_id, reason }) => (
              <li key={short_id} className="line">
                <span className="gut">{short_id}</span>
                <span>{reason}</span>
              </li>
            ))}
          </ul>
          <div className="acts dialog-acts">
            <Button kind="primary" onClick={close}>
              {projectViewMessages.close}
            </Button>
          </div>
        </>
      ),
    })
  showToast({ text, tone: 'trouble', action: { label: bulkChangeMessages.why, run } })
}
