import type { ClipboardEvent, DragEvent, RefObject } from 'react'
import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'
import { uiMessages } from '../../messages/app/ui.ts'

interface FileInserterOptions {
  area: RefObject<HTMLTextAreaElement | null>
  edit: (edit: MarkdownEdit) => void
  /** Uploads files and returns their Markdown; without it the field accepts no files. */
  onFiles: ((files: File[]) => Promise<string>) | undefined
  onError: (error: unknown) => void
}

/**
 * Inserts uploaded files into a text. A placeholder marks their position during the upload and is
 * removed if it fails.
 */
export function createFileInserter({ area, edit, onFiles, onError }: FileInserterOptions) {
  const insertText = (insert: string, from: number, to: number) =>
    edit({ from, to, insert, select: [from + insert.length, from + insert.length] })
  const take = async (files: File[]) => {
    const { current: field } = area
    if (!onFiles || !field || files.length === 0) return
    const placeholder = uiMessages.uploading(files.map(({ name }) => name).join(', '))
    insertText(placeholder, field.selectionStart, field.selectionEnd)
    const markdown = await onFiles(files).catch((error: unknown) => {
      onError(error)
      return ''
    })
    const from = area.current?.value.indexOf(placeholder) ?? -1
    if (from >= 0) insertText(markdown, from, from + placeholder.length)
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
