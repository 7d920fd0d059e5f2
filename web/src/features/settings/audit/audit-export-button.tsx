import { useState } from 'react'
import { showToast } from '../../../data/app/toasts.ts'
import { bootState } from '../../../data/session/boot.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { type AuditFilter, fetchAuditPage } from './audit-queries.ts'

const PAGE_SIZE = 200

/** Downloads the filtered entries with their hashes as JSON Lines, for archives and other tools. */
export function AuditExportButton({ filter }: { filter: AuditFilter }) {
  const [readCount, setReadCount] = useState<number>()
  const save = async () => {
    setReadCount(0)
    try {
      // Each page becomes a Blob at once: browsers can move large Blobs from memory to the disk.
      const parts: Blob[] = []
      let count = 0
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Awaited<ReturnType<typeof fetchAuditPage>> = await fetchAuditPage({
          ...filter,
          limit: PAGE_SIZE,
          ...(cursor && { cursor }),
        })
        parts.push(new Blob(page.data.map((entry) => `${JSON.stringify(entry)}\n`)))
        count += page.data.length
        cursor = page.next_cursor
        setReadCount(count)
      }
      downloadBlob(new Blob(parts, { type: 'application/jsonl' }))
      showToast({ text: auditMessages.saved(count) })
    } catch (error) {
      showErrorToast(error)
    }
    setReadCount(undefined)
  }
  return (
    <Button busy={readCount !== undefined} onClick={() => void save()}>
      {readCount ? auditMessages.saving(readCount) : auditMessages.save}
    </Button>
  )
}

function downloadBlob(blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `audit-${bootState.get()?.session.workspace.id}.jsonl`
  link.click()
  URL.revokeObjectURL(link.href)
}
