import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Tag } from '#resources/tags/contract.ts'
import type { mergeTag } from '#resources/tags/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { applyLiveReset } from '../../../data/live/apply-live-event.ts'
import { enqueueRecordEdit } from '../../../data/mutations/record-mutations.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { getErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { TagLabel as TagMark } from '../../../ui/marks/tag-label.tsx'
import { openConfirmDialog } from '../../../ui/overlays/dialog.tsx'
import { openPicker } from '../../../ui/overlays/picker-button.tsx'
import { HuePicker } from './hue-field.tsx'

interface TagSettingsRowProps {
  tag: Tag
  others: readonly Tag[]
  reason: string | undefined
  onRemove: () => void
}

/** A name that is being typed. */
interface NameEdit {
  name: string
  /**
   * The tag when typing began: changes that others make after it are conflicts. None after a conflict,
   * whose message says that sending the name again replaces their version.
   */
  base: Tag | undefined
  isRejected?: boolean
}

/** One tag, renamed in place. If another tag has the new name, the row offers to merge the two. */
export function TagSettingsRow({ tag, others, reason, onRemove }: TagSettingsRowProps) {
  const [edit, setEdit] = useState<NameEdit>()
  const [error, setError] = useState<unknown>()
  const field = useRef<HTMLInputElement>(null)
  const isDisabled = reason !== undefined
  if (edit && !edit.isRejected && edit.name === tag.name) setEdit(undefined)
  const save = (base: Tag, patch: { name?: string; color?: string }, label: string) => {
    setError(undefined)
    const onRejected = (thrown: unknown) => {
      setError(thrown)
      if (thrown === undefined) return setEdit(undefined)
      const { name } = patch
      const isConflict = thrown instanceof ApiResponseError && thrown.code === 'version_mismatch'
      const rejected = { base: isConflict ? undefined : base, isRejected: true }
      if (name !== undefined) setEdit((later) => later ?? { name, ...rejected })
      // The reply may come after the person has left the screen.
      if (!field.current) showErrorToast(thrown)
    }
    enqueueRecordEdit({ kind: 'tag-edit', base, patch, label }, onRejected)
  }
  const rename = (isAsked: boolean) => {
    // A rejected name is not sent again on blur, so that the offer to merge stays.
    if (!edit || (!isAsked && edit.isRejected)) return
    const { base = tag } = edit
    const name = edit.name.trim()
    if (name === tag.name || name === base.name) {
      setEdit(undefined)
      return
    }
    setEdit({ name, base })
    save(base, { name }, projectMessages.renameTag(tag.name))
  }
  // Going back takes the field away without a blur.
  const renameAtUnmount = useEffectEvent(() => rename(false))
  useEffect(() => () => renameAtUnmount(), [])
  const same = others.find(({ id }) => id === getConflictingTagId(error))
  return (
    <TableRow>
      <TableCell className="gut" title={projectMessages.tagCount(tag.task_count)}>
        {tag.task_count}
      </TableCell>
      <TableCell>
        <TagMark name={tag.name} color={tag.color} />
        <input
          ref={field}
          className="field inline"
          aria-label={projectMessages.renameTag(tag.name)}
          aria-invalid={error !== undefined || undefined}
          value={edit?.name ?? tag.name}
          maxLength={50}
          disabled={isDisabled}
          onChange={({ target }) => setEdit({ name: target.value, base: edit?.base ?? tag })}
          onBlur={() => rename(false)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') rename(true)
            if (event.key === 'Escape') setEdit(undefined)
          }}
        />
        {error !== undefined && (
          <span className="error" role="alert">
            {same ? projectMessages.tagExists(same.name) : getErrorMessage(error)}
            {same && (
              <Button onClick={() => confirmMergeTags(tag, same)}>
                {projectMessages.merge(tag.name, same.name)}
              </Button>
            )}
          </span>
        )}
      </TableCell>
      <TableCell>
        <HuePicker
          value={tag.color}
          onChange={(color) => save(tag, { color }, projectMessages.colourOf(tag.name))}
          aria-label={projectMessages.colourOf(tag.name)}
          disabled={isDisabled}
        />
      </TableCell>
      <TableCell className="end">
        <IconButton
          icon="group"
          label={projectMessages.mergeWith(tag.name)}
          disabled={isDisabled || others.length === 0}
          onClick={({ currentTarget }) => openMergePicker(currentTarget, tag, others)}
        />
        <IconButton
          icon="trash"
          label={projectMessages.deleteTag(tag.name)}
          disabled={isDisabled}
          onClick={onRemove}
        />
      </TableCell>
    </TableRow>
  )
}

/** The id of the tag that already has the name, if the error says so. */
const getConflictingTagId = (error: unknown): string | undefined =>
  error instanceof ApiResponseError && error.code === 'tag_exists'
    ? error.details[0]?.resource_id
    : undefined

const openMergePicker = (anchor: Element, tag: Tag, others: readonly Tag[]): void => {
  openPicker({
    anchor,
    label: projectMessages.mergeTitle(tag.name),
    options: others.map(({ id, name, color }) => ({
      id,
      label: name,
      mark: <TagMark name={name} color={color} />,
    })),
    picked: [],
    onPick: ([id]) => {
      const into = others.find((one) => one.id === id)
      if (into) confirmMergeTags(tag, into)
    },
  })
}

/** Asks whether to merge a tag into another one, because that cannot be undone, and does so. */
async function confirmMergeTags(from: Tag, into: Tag): Promise<void> {
  const isConfirmed = await openConfirmDialog({
    title: projectMessages.merge(from.name, into.name),
    text: projectMessages.mergeWhy,
    action: projectMessages.mergeDo(from.task_count),
    run: async () => {
      await requestEndpoint<typeof mergeTag>('POST /internal/tags/:id/merge', {
        params: { id: from.id },
        body: { into_id: into.id },
      })
    },
  })
  if (!isConfirmed) return
  // The tasks have other tags, but no new version by which they could be told apart.
  applyLiveReset()
  showToast({ text: projectMessages.merged(from.name, into.name) })
}
