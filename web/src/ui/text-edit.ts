import type { Edit } from '../lib/markdown-edit.ts'

/** Changes the text of a field as if it had been typed, so that the browser can undo it. */
export function apply(area: HTMLTextAreaElement, { from, to, insert, select }: Edit): void {
  area.focus()
  area.setSelectionRange(from, to)
  const command = insert === '' ? 'delete' : 'insertText'
  // setRangeText would do, but leaves nothing to undo.
  if (from === to && insert === '') return
  if (!document.execCommand(command, false, insert)) {
    area.setRangeText(insert, from, to, 'end')
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  area.setSelectionRange(...select)
}
