import { useRef, useState } from 'react'
import type { Attachment } from '../../data/attachments.ts'
import { useBoot } from '../../data/boot.ts'
import { useConflict } from '../../data/task-store.ts'
import type { Task } from '../../data/task-view.ts'
import { changeTask } from '../../data/task-writes.ts'
import { mayBePicture } from '../../lib/picture.ts'
import { m } from '../../messages/task.ts'
import { Button } from '../../ui/button.tsx'
import { MarkdownEditor } from '../../ui/markdown-editor.tsx'
import { refocus } from '../../ui/refocus.ts'
import { attachFiles } from './attach.ts'
import { dropBegin, keepBegin, keptBegin } from './begin.ts'
import { DescriptionConflict } from './description-conflict.tsx'
import { useOpenTask } from './open-task.ts'
import { Prose, usePreview } from './prose.tsx'
import { useRights } from './rights.ts'

/** What is to be done, as Markdown: read with boxes to tick, edited with a draft that is not lost. */
export function Description() {
  const { task } = useOpenTask()
  const { write } = useRights()
  // A draft that was kept opens again, on top of the text that it was begun on.
  const [from, setFrom] = useState<Task | undefined>(() => keptBegin(task))
  const place = useRef<HTMLDivElement>(null)
  const disputed = useConflict(task.id)?.fields.includes('description') === true
  const asked = useRef(false)
  const begin = () => {
    asked.current = true
    const kept = keptBegin(task)
    if (!kept) keepBegin(task)
    setFrom(kept ?? task)
  }
  const end = () => {
    setFrom(undefined)
    refocus(() => place.current?.querySelector<HTMLElement>('[data-does="description"]'))
  }
  return (
    <div className="line description" ref={place}>
      <span className="gut" />
      <div className="line-body">
        {disputed && <DescriptionConflict />}
        {from ? (
          <DescriptionEditor task={task} from={from} focus={asked.current} onEnd={end} />
        ) : (
          <Shown task={task} reason={disputed ? m.chooseFirst : write} onEdit={begin} />
        )}
      </div>
    </div>
  )
}

interface ShownProps {
  task: Task
  reason: string | undefined
  onEdit: () => void
}

function Shown({ task, reason, onEdit }: ShownProps) {
  const { id, short_id, description } = task
  const toggle = (_: number, next: string) =>
    changeTask(id, { description: next }, { label: m.descriptionSet(short_id), from: task })
  if (!description) {
    return (
      <Button
        kind="plain"
        className="value empty-text"
        keys="shift+e"
        data-does="description"
        reason={reason}
        onClick={onEdit}
      >
        {m.noDescription}
      </Button>
    )
  }
  return (
    <>
      <Prose
        source={description}
        {...(reason === undefined && { onToggle: toggle })}
        boxesOff={reason}
      />
      <div className="acts under-text">
        <Button
          kind="plain"
          icon="edit"
          data-does="description"
          aria-label={m.editDescription}
          reason={reason}
          onClick={onEdit}
        >
          {m.edit}
        </Button>
      </div>
    </>
  )
}

interface EditorProps {
  task: Task
  from: Task
  /** It was opened to write; a draft that opens by itself leaves the focus where it is. */
  focus: boolean
  onEnd: () => void
}

function DescriptionEditor({ task, from, focus, onEnd }: EditorProps) {
  const { members, settings } = useBoot()
  const preview = usePreview()
  const save = (text: string) => {
    const description = text.trim() === '' && from.description === null ? null : text
    if (description !== from.description) {
      changeTask(task.id, { description }, { label: m.descriptionSet(task.short_id), from })
    }
    dropBegin(task.id)
    onEnd()
  }
  const attach = async (files: File[]) => {
    const made = await attachFiles(task.id, files, settings.max_attachment_bytes)
    return made.map(markdownOf).join('\n')
  }
  return (
    <MarkdownEditor
      label={m.description}
      source={from.description ?? ''}
      draftKey={`description.${task.id}`}
      people={members}
      rows={10}
      autoFocus={focus}
      onSave={save}
      onCancel={onEnd}
      onFiles={attach}
      preview={preview}
    />
  )
}

/** What stands for a file in a text: a picture, or a link that downloads it. */
export function markdownOf({ id, filename, content_type }: Attachment): string {
  const name = filename.replace(/[[\]\\`<>*_]/g, '\\$&')
  return `${mayBePicture(content_type) ? '!' : ''}[${name}](/api/v1/attachments/${id}/content)`
}
