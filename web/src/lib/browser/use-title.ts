import { useEffect } from 'react'

/** Sets the document title to "… – Docket"; undefined leaves it to other components. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} – Docket`
  }, [title])
}
