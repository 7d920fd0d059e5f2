import './attachments.css'
import { useRef } from 'react'
import type { QueuedMutation } from '../../../data/mutations/mutation-entry.ts'
import { discardMutation, retryMutation } from '../../../data/mutations/mutation-queue.ts'
import {
  type Attachment,
  attachFiles,
  deleteAttachmentWithUndo,
  uploadProgress,
  useAttachments,
} from '../../../data/resources/attachments.ts'
import { pendingCreations } from '../../../data/resources/pending-creations.ts'
import { useBoot, useMemberNames } from '../../../data/session/boot.ts'
import { isPictureType } from '../../../lib/browser/picture.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { formatBytes } from '../../../lib/text/format-bytes.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { ErrorMessage, getErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { DetailSection } from '../detail-section.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { AttachmentPreview } from './attachment-preview.tsx'

/** The files of the task and the progress of running uploads. */
export function AttachmentsSection() {
  const { task } = useOpenTask()
  const { settings } = useBoot('settings')
  const { write } = useBlockReasons()
  const { attachments = [], error, retry } = useAttachments(task.id)
  const uploads = useAtom(pendingCreations).flatMap(({ payload, ...queued }) =>
    payload.kind === 'upload' && payload.task_id === task.id
      ? [{ ...queued, file: payload.file }]
      : [],
  )
  const input = useRef<HTMLInputElement>(null)
  const maxBytes = settings.max_attachment_bytes
  const limit = taskDetailMessages.mostBytes(formatBytes(maxBytes))
  const isEmpty = attachments.length === 0 && uploads.length === 0 && !error
  return (
    <DetailSection
      name="files"
      title={taskDetailMessages.attachments}
      gutter={attachments.length}
      end={limit}
      empty={isEmpty}
    >
      {error && <ErrorMessage error={error} onRetry={retry} />}
      <ul className="files">
        {attachments.map((attachment) => (
          <AttachmentItem key={attachment.id} attachment={attachment} />
        ))}
        {uploads.map((one) => (
          <UploadItem key={one.key} upload={one} />
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
            {taskDetailMessages.attach}
          </Button>
          {isEmpty && <span className="quiet">{limit}</span>}
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={taskDetailMessages.attach}
            onChange={({ target }) => {
              void attachFiles(task.id, [...(target.files ?? [])], maxBytes)
              // Otherwise choosing the same file again would not fire a change event.
              target.value = ''
            }}
          />
        </div>
      </div>
    </DetailSection>
  )
}

function AttachmentItem({ attachment }: { attachment: Attachment }) {
  const nameOf = useMemberNames()
  const { removeFile } = useBlockReasons()
  const { id, filename, size_bytes, content_type, created_by_id, created_at } = attachment
  return (
    <li className="line file">
      <span className="gut">
        <FormattedInstant at={created_at} style="gutter" />
      </span>
      <div>
        <span className="file-name">
          <a href={`/api/v1/attachments/${id}/content`} download={filename}>
            <Icon name={isPictureType(content_type) ? 'image' : 'attach'} />
            <span className="clip">{filename}</span>
          </a>
          <span className="quiet">
            {formatBytes(size_bytes)} · {nameOf(created_by_id)}
          </span>
          <IconButton
            icon="trash"
            label={taskDetailMessages.deleteFile(filename)}
            reason={removeFile(created_by_id)}
            onClick={() => deleteAttachmentWithUndo(attachment)}
          />
        </span>
        {isPictureType(content_type) && <AttachmentPreview attachment={attachment} />}
      </div>
    </li>
  )
}

/** A file that is not uploaded yet. */
interface Upload extends Pick<QueuedMutation, 'key' | 'state' | 'error' | 'refusal'> {
  file: File
}

function UploadItem({ upload: { key, file, state, error, refusal } }: { upload: Upload }) {
  const percent = Math.floor((useAtom(uploadProgress).get(key) ?? 0) * 100)
  const hasFailed = state === 'unsaved'
  return (
    <li className="line file">
      <span className="gut">{hasFailed ? '' : `${percent} %`}</span>
      <div>
        <span className="file-name">
          <Icon name="upload" />
          <span className="clip">{file.name}</span>
          {hasFailed ? (
            <span className="error" role="alert">
              {[taskDetailMessages.unsaved, getUploadError(error) ?? refusal?.reason]
                .filter(Boolean)
                .join(': ')}
            </span>
          ) : (
            <progress
              max={100}
              value={percent}
              aria-label={taskDetailMessages.uploading(file.name, percent)}
            />
          )}
          {hasFailed && (
            <Button onClick={() => retryMutation(key)}>{taskDetailMessages.retry}</Button>
          )}
          <IconButton
            icon="x"
            label={taskDetailMessages.cancelUpload(file.name)}
            onClick={() => discardMutation(key)}
          />
        </span>
      </div>
    </li>
  )
}

const getUploadError = (error: unknown): string | undefined =>
  error ? getErrorMessage(error) : undefined
