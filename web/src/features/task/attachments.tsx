import { useRef } from 'react'
import {
  type Attachment,
  cancelSending,
  hiddenAttachments,
  removeAttachment,
  resend,
  type Sending,
  sendings,
  useAttachments,
} from '../../data/attachments.ts'
import { nameOf, useBoot } from '../../data/boot.ts'
import { formatBytes } from '../../lib/bytes.ts'
import { mayBePicture } from '../../lib/picture.ts'
import { Problem } from '../../lib/problem.ts'
import { useSignal } from '../../lib/signal.ts'
import { m } from '../../messages/task.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Moment } from '../../ui/moment.tsx'
import { messageOf, Trouble } from '../../ui/trouble.tsx'
import { attachFiles } from './attach.ts'
import { useOpenTask } from './open-task.ts'
import { Picture } from './picture.tsx'
import { useRights } from './rights.ts'
import { Section } from './section.tsx'

/** The files of the task: dropped, pasted or chosen; what is on its way shows how far it is. */
export function Attachments() {
  const { task } = useOpenTask()
  const { settings } = useBoot()
  const { write } = useRights()
  const { attachments = [], error, retry } = useAttachments(task.id)
  const hidden = useSignal(hiddenAttachments)
  const sending = useSignal(sendings).filter(({ task_id }) => task_id === task.id)
  const input = useRef<HTMLInputElement>(null)
  const shown = attachments.filter(({ id }) => !hidden.has(id))
  const most = settings.max_attachment_bytes
  return (
    <Section
      name="files"
      title={m.attachments}
      gutter={shown.length}
      end={m.mostBytes(formatBytes(most))}
    >
      {error && <Trouble error={error} onRetry={retry} />}
      <ul className="files">
        {shown.map((attachment) => (
          <File key={attachment.id} attachment={attachment} />
        ))}
        {sending.map((one) => (
          <OnItsWay key={one.key} sending={one} />
        ))}
      </ul>
      <div className="line">
        <span className="gut" />
        <div className="acts attach">
          <Button
            kind="plain"
            icon="attach"
            data-does="attach"
            reason={write}
            onClick={() => input.current?.click()}
          >
            {m.attach}
          </Button>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={m.attach}
            onChange={({ target }) => {
              void attachFiles(task.id, [...(target.files ?? [])], most)
              // The same file can be chosen again.
              target.value = ''
            }}
          />
        </div>
      </div>
    </Section>
  )
}

function File({ attachment }: { attachment: Attachment }) {
  const boot = useBoot()
  const { removeFile } = useRights()
  const { id, filename, size_bytes, content_type, created_by_id, created_at } = attachment
  return (
    <li className="line file">
      <span className="gut">
        <Moment at={created_at} style="gutter" />
      </span>
      <div>
        <span className="file-name">
          <a href={`/api/v1/attachments/${id}/content`} download={filename}>
            <Icon name={mayBePicture(content_type) ? 'image' : 'attach'} />
            <span className="clip">{filename}</span>
          </a>
          <span className="quiet">
            {formatBytes(size_bytes)} · {nameOf(boot, created_by_id)}
          </span>
          <IconButton
            icon="trash"
            label={m.deleteFile(filename)}
            reason={removeFile(created_by_id)}
            onClick={() => removeAttachment(attachment)}
          />
        </span>
        {mayBePicture(content_type) && <Picture attachment={attachment} />}
      </div>
    </li>
  )
}

function OnItsWay({ sending: { key, file, part, error } }: { sending: Sending }) {
  const percent = Math.floor(part * 100)
  return (
    <li className="line file">
      <span className="gut">{error ? '' : `${percent} %`}</span>
      <div>
        <span className="file-name">
          <Icon name="upload" />
          <span className="clip">{file.name}</span>
          {error === undefined ? (
            <progress max={100} value={percent} aria-label={m.uploading(file.name, percent)} />
          ) : (
            <span className="error" role="alert">
              {m.unsaved}: {wordsOf(error)}
            </span>
          )}
          {error !== undefined && <Button onClick={() => resend(key)}>{m.retry}</Button>}
          <IconButton
            icon="x"
            label={m.cancelUpload(file.name)}
            onClick={() => cancelSending(key)}
          />
        </span>
      </div>
    </li>
  )
}

const wordsOf = (error: unknown): string =>
  error instanceof Problem ? (error.details[0]?.message ?? error.message) : messageOf(error)
