import type { ClipboardEvent, DragEvent, RefObject } from 'react'
import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'
import { uiMessages } from '../../messages/app/ui.ts'

interface FileInserterOptions {
  area: RefObject<HTMLTextAreaElement | null>
  edit: (edit: MarkdownEdit) => void
  /** Uploads files and returns their Markdown; without it the field accepts no files. */
  onFiles: ((files: File[]) => Promise<string>) | undefined
  onError: (error: unknown) => void
  uploads: Set<Promise<boolean>>
}

/**
 * Inserts uploaded files into a text. A placeholder marks their position during the upload and is
 * removed if it fails. `uploads` are the running ones; each resolves with whether it succeeded.
 */
export function createFileInserter({ area, edit, onFiles, onError, uploads }: FileInserterOptions) {
  const insertText = (insert: string, from: number, to: number) =>
    edit({ from, to, insert, select: [from + insert.length, from + insert.length] })
  const upload = async (files: File[]): Promise<boolean> => {
    const { current: field } = area
    if (!onFiles || !field) return false
    const placeholder = uiMessages.uploading(files.map(({ name }) => name).join(', '))
    insertText(placeholder, field.selectionStart, field.selectionEnd)
    const markdown = await onFiles(files).catch((error: unknown) => {
      onError(error)
      return ''
    })
    const from = area.current?.value.indexOf(placeholder) ?? -1
    if (from >= 0) insertText(markdown, from, from + placeholder.length)
    return markdown !== ''
  }
  const take = async (files: File[]) => {
    if (files.length === 0) return
    const running = upload(files)
    uploads.add(running)
    await running
    uploads.delete(running)
  }
  const uploadTransfer = (event: ClipboardEvent | DragEvent, { files }: DataTransfer) => {
    if (!onFiles || files.length === 0) return
    event.preventDefault()
    void take([...files])
  }
  return {
    take,
    /** Event handlers of the field for pasted and dropped files. */
    handlers: {
      onPaste: (event: ClipboardEvent) => uploadTransfer(event, event.clipboardData),
      onDragOver(event: DragEvent) {
        if (onFiles && event.dataTransfer.types.includes('Files')) event.preventDefault()
      },
      onDrop: (event: DragEvent) => uploadTransfer(event, event.dataTransfer),
    },
  }
}

/** Waits until no upload is running; returns whether all of them succeeded. */
export async function waitForUploads(uploads: ReadonlySet<Promise<boolean>>): Promise<boolean> {
  let haveSucceeded = true
  while (uploads.size > 0) {
    const results = await Promise.all(uploads)
    haveSucceeded &&= results.every(Boolean)
  }
  return haveSucceeded
}

/**
 * A text without the placeholders of uploads. One stays behind where an upload ended with its page,
 * and comes back where the person undoes its replacement.
 */
export function removeUploadPlaceholders(text: string): string {
  const [start = '', end = ''] = uiMessages.uploading('\n').split('\n')
  const pattern = new RegExp(`${RegExp.escape(start)}.*?${RegExp.escape(end)}`, 'g')
  return text.replace(pattern, '')
}
