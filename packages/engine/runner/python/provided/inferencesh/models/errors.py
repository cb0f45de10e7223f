"""Errors of requests to the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

__all__ = [
    "APIError",
    "RequirementError",
    "RequirementsNotMetError",
    "SessionEndedError",
    "SessionError",
    "SessionExpiredError",
    "SessionNotFoundError",
    "SetupAction",
    "WorkerLostError",
]


@dataclass
class SetupAction:
    type: str
    provider: Optional[str] = None
    scopes: Optional[List[str]] = None

    @classmethod
    def from_dict(cls, data: Optional[Dict[str, Any]]) -> Optional["SetupAction"]:
        return cls(data.get("type", ""), data.get("provider"), data.get("scopes")) if data else None


@dataclass
class RequirementError:
    type: str
    key: str
    message: str
    action: Optional[SetupAction] = None

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> "RequirementError":
        texts = [data.get(name, "") for name in ("type", "key", "message")]
        return cls(*texts, action=SetupAction.from_dict(data.get("action")))


class RequirementsNotMetError(Exception):
    """The app needs secrets, connections or scopes that are missing."""

    def __init__(self, errors: List[RequirementError], status_code: int = 412) -> None:
        super().__init__(errors[0].message if errors else "requirements not met")
        self.errors = errors
        self.status_code = status_code

    @classmethod
    def from_response(cls, data: Dict[str, Any], status_code: int = 412) -> "RequirementsNotMetError":
        return cls([RequirementError.from_dict(one) for one in data.get("errors") or []], status_code)


class APIError(Exception):
    def __init__(self, status_code: int, message: str, response_body: Optional[str] = None) -> None:
        super().__init__(f"HTTP {status_code}: {message}")
        self.status_code = status_code
        self.message = message
        self.response_body = response_body


class SessionError(APIError):
    pass


class _ErrorOfOneSession(SessionError):
    status = 500
    problem = ""

    def __init__(self, session_id: str, response_body: Optional[str] = None) -> None:
        super().__init__(self.status, f"{self.problem}: {session_id}", response_body)
        self.session_id = session_id


class SessionNotFoundError(_ErrorOfOneSession):
    status = 404
    problem = "Session not found"


class SessionExpiredError(_ErrorOfOneSession):
    status = 410
    problem = "Session expired"


class SessionEndedError(_ErrorOfOneSession):
    status = 410
    problem = "Session ended"


class WorkerLostError(_ErrorOfOneSession):
    status = 500
    problem = "The worker of the session was lost"
