import {
  discardMutation,
  mutationQueue,
  retryMutation,
} from '../../data/mutations/mutation-queue.ts'
import { formatDayTime } from '../../lib/dates/instant.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { unstoredDraft } from '../../lib/state/drafts.ts'
import { bannerMessages } from '../../messages/app/banners.ts'
import { RemedyButton } from '../../ui/feedback/error-message.tsx'
import { CopyButton } from '../../ui/form/copy-button.tsx'

/** More banners would cover too much of the screen. */
const MAX_UNSAVED_BANNERS = 3

/** The mutations that wait for the person, and whether this browser can store unsent ones and drafts. */
export function UnsavedBanners() {
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
