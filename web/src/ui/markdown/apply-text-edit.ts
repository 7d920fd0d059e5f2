import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'

/** Edits the text of a field as if it had been typed, so that the browser can undo it. */
export function applyTextEdit(
  area: HTMLTextAreaElement,
  { from, to, insert, select }: MarkdownEdit,
): void {
  area.focus()
  area.setSelectionRange(from, to)
  const command = insert === '' ? 'delete' : 'insertText'
  // execCommand is deprecated, but setRangeText bypasses the undo history.
  if (from === to && insert === '') return
  if (!document.execCommand(command, false, insert)) {
    area.setRangeText(insert, from, to, 'end')
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  area.setSelectionRange(...select)
}
