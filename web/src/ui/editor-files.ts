import type { ClipboardEvent, DragEvent, RefObject } from 'react'
import type { Edit } from '../lib/markdown-edit.ts'
import { m } from '../messages/ui.ts'

interface Wanted {
  area: RefObject<HTMLTextAreaElement | null>
  edit: (edit: Edit) => void
  /** Takes files up and gives the Markdown that stands for them; without it a field takes none. */
  onFiles: ((files: File[]) => Promise<string>) | undefined
  onError: (error: unknown) => void
}

/** Files in a text: their place is held by a word while they are on their way, and goes if they fail. */
export function filesInto({ area, edit, onFiles, onError }: Wanted) {
  const put = (insert: string, from: number, to: number) =>
    edit({ from, to, insert, select: [from + insert.length, from + insert.length] })
  const take = async (files: File[]) => {
    const { current: field } = area
    if (!onFiles || !field || files.length === 0) return
    const waiting = m.uploading(files.map(({ name }) => name).join(', '))
    put(waiting, field.selectionStart, field.selectionEnd)
    const made = await onFiles(files).catch((thrown: unknown) => {
      onError(thrown)
      return ''
    })
    const from = area.current?.value.indexOf(waiting) ?? -1
    if (from >= 0) put(made, from, from + waiting.length)
  }
  const takeFrom = (event: ClipboardEvent | DragEvent, { files }: DataTransfer) => {
    if (!onFiles || files.length === 0) return
    event.preventDefault()
    void take([...files])
  }
  return {
    take,
    /** For the field: files that are pasted or dropped. */
    handlers: {
      onPaste: (event: ClipboardEvent) => takeFrom(event, event.clipboardData),
      onDragOver(event: DragEvent) {
        if (onFiles && event.dataTransfer.types.includes('Files')) event.preventDefault()
      },
      onDrop: (event: DragEvent) => takeFrom(event, event.dataTransfer),
    },
  }
}
