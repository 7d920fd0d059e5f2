import { useEffect } from 'react'

/** Names the page in the browser's tab and history: what it shows, then Docket. Undefined: left to others. */
export function useTitle(shown: string | undefined): void {
  useEffect(() => {
    if (shown !== undefined) document.title = `${shown} – Docket`
  }, [shown])
}
