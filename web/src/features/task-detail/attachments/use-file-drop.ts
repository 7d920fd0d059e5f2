import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react'
import { attachFiles } from '../../../data/resources/attachments.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { getPastedFiles } from '../../../lib/browser/pasted-files.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'

/** Attaches files that are dropped on the task or pasted outside its fields. */
export function useFileDrop() {
  const { task } = useOpenTask()
  const { settings } = useBoot('settings')
  const { write } = useBlockReasons()
  const [isOver, setIsOver] = useState(false)
  // Entering a child fires dragleave on its parent, so enter and leave events are counted.
  const depth = useRef(0)
  const acceptsFiles = (event: DragEvent) =>
    write === undefined && event.dataTransfer.types.includes('Files')
  const handlers = {
    onDragEnter(event: DragEvent) {
      if (!acceptsFiles(event)) return
      depth.current += 1
      setIsOver(true)
    },
    onDragLeave(event: DragEvent) {
      if (!acceptsFiles(event)) return
      depth.current -= 1
      if (depth.current <= 0) setIsOver(false)
    },
    onDragOver(event: DragEvent) {
      if (acceptsFiles(event)) event.preventDefault()
    },
    onDrop(event: DragEvent) {
      depth.current = 0
      setIsOver(false)
      if (!acceptsFiles(event) || event.defaultPrevented) return
      event.preventDefault()
      void attachFiles(task.id, [...event.dataTransfer.files], settings.max_attachment_bytes)
    },
    onPaste(event: ClipboardEvent) {
      const files = getPastedFiles(event.clipboardData)
      if (files.length === 0 || event.defaultPrevented || write !== undefined) return
      event.preventDefault()
      void attachFiles(task.id, files, settings.max_attachment_bytes)
    },
  }
  return { over: isOver, handlers }
}
