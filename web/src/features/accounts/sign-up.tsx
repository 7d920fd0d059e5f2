export function SignUp() {
  return <main className="paper" id="work" />
}
