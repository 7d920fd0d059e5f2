import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react'
import { useBoot } from '../../data/boot.ts'
import { attachFiles } from './attach.ts'
import { useOpenTask } from './open-task.ts'
import { useRights } from './rights.ts'

/** Files that are dropped on the task, or pasted outside of its fields, are attached to it. */
export function useDrop() {
  const { task } = useOpenTask()
  const { settings } = useBoot()
  const { write } = useRights()
  const [over, setOver] = useState(false)
  // Entering a child leaves its parent: only as many leavings as enterings are a leaving.
  const depth = useRef(0)
  const wanted = (event: DragEvent) =>
    write === undefined && event.dataTransfer.types.includes('Files')
  const handlers = {
    onDragEnter(event: DragEvent) {
      if (!wanted(event)) return
      depth.current += 1
      setOver(true)
    },
    onDragLeave(event: DragEvent) {
      if (!wanted(event)) return
      depth.current -= 1
      if (depth.current <= 0) setOver(false)
    },
    onDragOver(event: DragEvent) {
      if (wanted(event)) event.preventDefault()
    },
    onDrop(event: DragEvent) {
      depth.current = 0
      setOver(false)
      if (!wanted(event) || event.defaultPrevented) return
      event.preventDefault()
      void attachFiles(task.id, [...event.dataTransfer.files], settings.max_attachment_bytes)
    },
    onPaste(event: ClipboardEvent) {
      const files = [...event.clipboardData.files]
      if (files.length === 0 || event.defaultPrevented || write !== undefined) return
      event.preventDefault()
      void attachFiles(task.id, files, settings.max_attachment_bytes)
    },
  }
  return { over, handlers }
}
