import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isNewVersionAvailable } from '../../data/app/app-version.ts'
import { bulkProgress } from '../../data/mutations/batch-outcomes.ts'
import {
  discardMutation,
  mutationQueue,
  retryMutation,
} from '../../data/mutations/mutation-queue.ts'
import { sessionMismatch } from '../../data/session/current-session.ts'
import { switchToWorkspace } from '../../data/session/switch-workspace.ts'
import { openTaskPage } from '../../data/tasks/task-path.ts'
import { getRealId, getTaskConflict } from '../../data/tasks/task-store.ts'
import { formatDayTime } from '../../lib/dates/instant.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { rateLimitPause } from '../../lib/http/request-pause.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { unstoredDraft } from '../../lib/state/drafts.ts'
import { bannerMessages } from '../../messages/app/banners.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { announce } from '../../ui/feedback/announce.ts'
import { RemedyButton, showErrorToast } from '../../ui/feedback/error-message.tsx'
import { CopyButton } from '../../ui/form/copy-button.tsx'

/** Banners that screen readers read out as they appear: what is not saved, a newer version, another session. */
export function StatusBanners({ workspaceId }: { workspaceId: string }) {
  return (
    <>
      <UnsavedBanners />
      <ConflictBanners />
      <NewVersionBanner />
      <SessionMismatchBanner workspaceId={workspaceId} />
    </>
  )
}

/** Banners whose text changes all the time: the end of a rate limit, and the progress of a bulk change. */
export function ProgressBanners() {
  return (
    <>
      <RateLimitBanner />
      <BulkProgressBanner />
    </>
  )
}

/**
 * Has the role timer, not status, because a screen reader would read out each second of a status.
 */
function RateLimitBanner() {
  const until = useAtom(rateLimitPause)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until === 0) return
    setNow(Date.now())
    announce(bannerMessages.rateLimitedNotice)
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [until])
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 ? (
    <p className="bar" role="timer">
      {bannerMessages.rateLimited(seconds)}
    </p>
  ) : null
}

/** The progress of a bulk change. */
function BulkProgressBanner() {
  const progress = useAtom(bulkProgress)
  if (!progress) return null
  const { done, total, stop } = progress
  const text = bannerMessages.changing(done, total)
  return (
    <p className="bar">
      <span role="progressbar" aria-label={text} aria-valuemax={total} aria-valuenow={done}>
        {text}
      </span>
      <button type="button" className="btn" onClick={stop}>
        {bannerMessages.stop}
      </button>
    </p>
  )
}

function NewVersionBanner() {
  if (!useAtom(isNewVersionAvailable)) return null
  return (
    <p className="bar">
      {bannerMessages.newVersion}
      <button type="button" className="btn" onClick={() => location.reload()}>
        {shellMessages.reload}
      </button>
    </p>
  )
}

/** Tells that another tab has gone to another workspace, or belongs to another person. */
function SessionMismatchBanner({ workspaceId }: { workspaceId: string }) {
  const mismatch = useAtom(sessionMismatch)
  if (!mismatch) return null
  const { user, workspace, otherPerson } = mismatch
  const switchBack = () => {
    switchToWorkspace(workspaceId).catch(showErrorToast)
  }
  return (
    <p className="bar">
      {otherPerson
        ? bannerMessages.otherPerson(user.name)
        : bannerMessages.otherWorkspace(workspace?.name ?? bannerMessages.anotherWorkspace)}
      <button
        type="button"
        className="btn"
        onClick={otherPerson ? () => location.reload() : switchBack}
      >
        {otherPerson ? bannerMessages.loadAnew : bannerMessages.switchBack}
      </button>
    </p>
  )
}

/** More banners would cover too much of the screen. */
const MAX_UNSAVED_BANNERS = 3

/** The mutations that wait for the person, and whether this browser can store unsent ones and drafts. */
function UnsavedBanners() {
  const mutations = useAtom(mutationQueue)
  const hasUnstoredDraft = useAtom(unstoredDraft) !== undefined
  const unsaved = mutations.filter(({ state }) => state === 'unsaved')
  return (
    <>
      {(hasUnstoredDraft || mutations.some(({ storage }) => storage === 'failed')) && (
        <p className="bar trouble">{bannerMessages.notStored}</p>
      )}
      {unsaved.length > MAX_UNSAVED_BANNERS && (
        <p className="bar trouble">
          <b>{bannerMessages.manyUnsaved(unsaved.length)}</b>
          <button
            type="button"
            className="btn"
            onClick={() => {
              for (const { key } of unsaved) retryMutation(key)
            }}
          >
            {bannerMessages.retryAll}
          </button>
        </p>
      )}
      {unsaved.slice(0, MAX_UNSAVED_BANNERS).map(({ key, label, error, madeAt, refusal }) => (
        <p key={key} className="bar trouble">
          <b>{bannerMessages.unsaved}</b> {label}
          <span>{refusal?.reason ?? formatDayTime(new Date(madeAt).toISOString())}</span>
          {error instanceof ApiResponseError && <code>{error.request_id}</code>}
          <button type="button" className="btn" onClick={() => retryMutation(key)}>
            {bannerMessages.retry}
          </button>
          <RemedyButton error={error} onSolved={() => retryMutation(key)} />
          {refusal?.text && <CopyButton text={refusal.text}>{bannerMessages.copyText}</CopyButton>}
          <button type="button" className="btn" onClick={() => discardMutation(key)}>
            {bannerMessages.discard}
          </button>
        </p>
      ))}
    </>
  )
}

/** Changes that wait for the person's choice, but for that of the task that is open: there the choice stands. */
function ConflictBanners() {
  const mutations = useAtom(mutationQueue)
  const { pathname, search } = useLocation()
  const conflicts = mutations.flatMap(({ state, payload }) =>
    state === 'held' && payload.kind === 'change'
      ? (getTaskConflict(getRealId(payload.id)) ?? [])
      : [],
  )
  return conflicts
    .filter(
      ({ theirs: { short_id } }) =>
        !pathname.endsWith(`/t/${short_id}`) && search.task !== short_id,
    )
    .slice(0, MAX_UNSAVED_BANNERS)
    .map(({ change, theirs: { short_id } }) => (
      <p key={change.key} className="bar trouble">
        {bannerMessages.conflict(short_id)}
        <button type="button" className="btn" onClick={() => openTaskPage(short_id)}>
          {bannerMessages.open}
        </button>
      </p>
    ))
}
