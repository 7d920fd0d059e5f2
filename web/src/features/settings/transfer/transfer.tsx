import { Export } from './export.tsx'
import { Import } from './import.tsx'

/** What comes into the workspace from elsewhere, and what is taken along: loaded when it is looked at. */
export function Transfer() {
  return (
    <>
      <Export />
      <Import />
    </>
  )
}
