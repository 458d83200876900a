import { render } from 'preact'
import { App } from './app.tsx'
import { connect } from './store/connection.ts'
import { followLinks } from './store/routes.ts'
import { loadMe } from './store/session.ts'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/parts.css'
import './style/views.css'

followLinks()
void loadMe()
connect()
const place = document.getElementById('app')
if (place !== null) render(<App />, place)
