import { useState } from 'react'
import { boot } from '../../../data/boot.ts'
import { toast } from '../../../data/toasts.ts'
import { m } from '../../../messages/audit.ts'
import { Button } from '../../../ui/button.tsx'
import { tell } from '../tell.ts'
import { type AuditFilter, readAudit } from './queries.ts'

const PAGE = 200

/** Saves what the filters leave as a file of JSON Lines, hashes included, for other programs to keep. */
export function SaveLines({ filter }: { filter: AuditFilter }) {
  const [read, setRead] = useState<number>()
  const save = async () => {
    setRead(0)
    try {
      // Text of a page becomes bytes at once: a browser may lay large ones on the disk.
      const parts: Blob[] = []
      let count = 0
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Awaited<ReturnType<typeof readAudit>> = await readAudit({
          ...filter,
          limit: PAGE,
          ...(cursor && { cursor }),
        })
        parts.push(new Blob(page.data.map((entry) => `${JSON.stringify(entry)}\n`)))
        count += page.data.length
        cursor = page.next_cursor
        setRead(count)
      }
      handOut(new Blob(parts, { type: 'application/jsonl' }))
      toast({ text: m.saved(count) })
    } catch (error) {
      tell(error)
    }
    setRead(undefined)
  }
  return (
    <Button busy={read !== undefined} onClick={() => void save()}>
      {read ? m.saving(read) : m.save}
    </Button>
  )
}

function handOut(blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `audit-${boot.get()?.session.workspace.id}.jsonl`
  link.click()
  URL.revokeObjectURL(link.href)
}
