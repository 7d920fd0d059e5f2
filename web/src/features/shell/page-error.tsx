import { uiMessages } from '../../messages/app/ui.ts'
import '../../styles/slip-page.css'
import { Link, useRouter } from '@tanstack/react-router'
import { ApiResponseError, NetworkError, ScreenUnavailableError } from '../../lib/http/problem.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'

/** Replaces a page that failed to load, with the reason and what to do. */
export function PageError({ error }: { error: unknown }) {
  return (
    <main className="alone">
      <ErrorDetails error={error} />
    </main>
  )
}

/** Replaces a failed screen of a workspace. The sidebar around it keeps working. */
export function ScreenError({ error }: { error: unknown }) {
  return (
    <main className="paper alone" id="work">
      <ErrorDetails error={error} />
    </main>
  )
}

function ErrorDetails({ error }: { error: unknown }) {
  const router = useRouter()
  const problem = error instanceof ApiResponseError ? error : undefined
  const isUnavailable = error instanceof ScreenUnavailableError
  // A module that failed to load can only be loaded again with the whole page.
  const needsReload = isUnavailable || error instanceof NetworkError
  return (
    <div className="slip form" role="alert">
      <div className="line">
        <div className="gut">{problem?.status ?? '–'}</div>
        <div>
          <h1>{shellMessages.pageTrouble}</h1>
          <p>{getErrorMessage(error)}</p>
          {problem && <p className="mono quiet">{problem.request_id}</p>}
          <div className="acts">
            <button
              type="button"
              className="btn primary"
              onClick={() => (needsReload ? location.reload() : void router.invalidate())}
            >
              {isUnavailable ? shellMessages.reload : uiMessages.retry}
            </button>
            <Link to="/start" reloadDocument>
              {shellMessages.goWork}
            </Link>
          </div>
        </div>
      </div>
    </div>
  )
}

/** The page for unknown URLs. */
export function NotFoundPage() {
  return (
    <main className="alone">
      <div className="slip form">
        <div className="line">
          <div className="gut">404</div>
          <div>
            <h1>{shellMessages.missing}</h1>
            <p>
              <Link to="/start">{shellMessages.goWork}</Link>
            </p>
          </div>
        </div>
      </div>
    </main>
  )
}
