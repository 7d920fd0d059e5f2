import type { ClipboardEvent, DragEvent, RefObject } from 'react'
import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'
import { uiMessages } from '../../messages/app/ui.ts'

/** An upload that has ended: what stood for it in the text, and its Markdown; '' if it failed. */
export interface EndedUpload {
  placeholder: string
  markdown: string
}

interface FileInserterOptions {
  area: RefObject<HTMLTextAreaElement | null>
  edit: (edit: MarkdownEdit) => void
  /** Uploads files and returns their Markdown; without it the field accepts no files. */
  onFiles: ((files: File[]) => Promise<string>) | undefined
  onError: (error: unknown) => void
  /** The running uploads. */
  uploads: Set<Promise<EndedUpload>>
}

/**
 * Inserts uploaded files into a text. A placeholder marks their position during the upload and is
 * removed if it fails.
 */
export function createFileInserter({ area, edit, onFiles, onError, uploads }: FileInserterOptions) {
  const insertText = (insert: string, from: number, to: number) =>
    edit({ from, to, insert, select: [from + insert.length, from + insert.length] })
  const upload = async (placeholder: string, uploading: Promise<string>): Promise<EndedUpload> => {
    const markdown = await uploading.catch((error: unknown) => {
      onError(error)
      return ''
    })
    const from = area.current?.value.indexOf(placeholder) ?? -1
    if (from >= 0) insertText(markdown, from, from + placeholder.length)
    return { placeholder, markdown }
  }
  const take = async (files: File[]) => {
    const { current: field } = area
    if (!onFiles || !field || files.length === 0) return
    const placeholder = uiMessages.uploading(files.map(({ name }) => name).join(', '))
    insertText(placeholder, field.selectionStart, field.selectionEnd)
    const running = upload(placeholder, onFiles(files))
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

/** Waits until no upload is running; returns those for which it has waited. */
export async function waitForUploads(
  uploads: ReadonlySet<Promise<EndedUpload>>,
): Promise<EndedUpload[]> {
  const ended: EndedUpload[] = []
  while (uploads.size > 0) ended.push(...(await Promise.all(uploads)))
  return ended
}

/** A text with the Markdown of uploads in place of their placeholders. */
export const insertUploads = (text: string, uploads: readonly EndedUpload[]): string =>
  uploads.reduce((all, { placeholder, markdown }) => all.replace(placeholder, () => markdown), text)

/**
 * A text without the placeholders of uploads. One stays behind where an upload ended with its page,
 * and comes back where the person undoes its replacement.
 */
export function removeUploadPlaceholders(text: string): string {
  const [start = '', end = ''] = uiMessages.uploading('\n').split('\n')
  const pattern = new RegExp(`${RegExp.escape(start)}.*?${RegExp.escape(end)}`, 'g')
  return text.replace(pattern, '')
}
