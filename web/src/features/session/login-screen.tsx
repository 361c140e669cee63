export function LoginScreen() {
  return <main>Sign in</main>
}
