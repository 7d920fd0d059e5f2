export function SignIn() {
  return <main className="paper" id="work" />
}
