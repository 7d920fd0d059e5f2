import { useState } from 'react'
import { setArchived } from '../../../data/session/boot-records.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'

/** Makes an archived project writable again. */
export function UnarchiveButton({ project_id }: { project_id: string }) {
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    await setArchived(project_id, false).catch(showErrorToast)
    setBusy(false)
  }
  return (
    <Button busy={busy} onClick={() => void run()}>
      {projectViewMessages.unarchive}
    </Button>
  )
}
