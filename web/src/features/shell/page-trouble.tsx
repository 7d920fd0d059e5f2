import { Link, useRouter } from '@tanstack/react-router'
import { ScreenMissing } from '../../data/version.ts'
import { Problem, Unreachable } from '../../lib/problem.ts'
import { m } from '../../messages/shell.ts'

/** What a page shows when it cannot be shown: why, and what to do. */
export function PageTrouble({ error }: { error: unknown }) {
  return (
    <main className="alone">
      <What error={error} />
    </main>
  )
}

/** The same for a screen of a workspace: the frame around it works on. */
export function ScreenTrouble({ error }: { error: unknown }) {
  return (
    <main className="paper alone" id="work">
      <What error={error} />
    </main>
  )
}

function What({ error }: { error: unknown }) {
  const router = useRouter()
  const problem = error instanceof Problem ? error : undefined
  const missing = error instanceof ScreenMissing
  // A part that could not be loaded comes with the whole page only.
  const anew = missing || error instanceof Unreachable
  return (
    <div className="slip form" role="alert">
      <div className="line">
        <div className="gut">{problem?.status ?? '–'}</div>
        <div>
          <h1>{m.pageTrouble}</h1>
          <p>{whyOf(error)}</p>
          {problem && <p className="mono quiet">{problem.request_id}</p>}
          <div className="acts">
            <button
              type="button"
              className="btn primary"
              onClick={() => (anew ? location.reload() : void router.invalidate())}
            >
              {missing ? m.reload : m.tryAgain}
            </button>
            <Link to="/start" reloadDocument>
              {m.toMyWork}
            </Link>
          </div>
        </div>
      </div>
    </div>
  )
}

const whyOf = (error: unknown): string =>
  error instanceof Problem || error instanceof Unreachable || error instanceof ScreenMissing
    ? error.message
    : m.unknownTrouble

/** An address that is none. */
export function Missing() {
  return (
    <main className="alone">
      <div className="slip form">
        <div className="line">
          <div className="gut">404</div>
          <div>
            <h1>{m.missing}</h1>
            <p>
              <Link to="/start">{m.toMyWork}</Link>
            </p>
          </div>
        </div>
      </div>
    </main>
  )
}
