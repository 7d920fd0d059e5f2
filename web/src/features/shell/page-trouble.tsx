import { Link, useRouter } from '@tanstack/react-router'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/shell.ts'

/** What a page shows when it cannot be shown: why, and what to do. */
export function PageTrouble({ error }: { error: unknown }) {
  const router = useRouter()
  const problem = error instanceof Problem ? error : undefined
  return (
    <main className="alone">
      <div className="slip form" role="alert">
        <div className="line">
          <div className="gut">{problem?.status ?? '–'}</div>
          <div>
            <h1>{m.pageTrouble}</h1>
            <p>{error instanceof Error ? error.message : m.unknownTrouble}</p>
            {problem && <p className="mono quiet">{problem.request_id}</p>}
            <div className="acts">
              <button type="button" className="btn primary" onClick={() => router.invalidate()}>
                {m.tryAgain}
              </button>
            </div>
          </div>
        </div>
      </div>
    </main>
  )
}

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
